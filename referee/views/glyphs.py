"""The pig and the food as drawings of SVG, one unit large around the origin."""

from typing import Final

_PIG_SKIN, _PIG_SHADE, _PIG_LINE = "#f6b3bb", "#e98a98", "#6d2f3a"

PIG: Final = (
    f'<g stroke="{_PIG_LINE}" stroke-width="0.06" stroke-linejoin="round">'
    f'<path d="M-0.92,-0.98L-0.3,-0.86L-0.72,-0.36Z" fill="{_PIG_SHADE}"/>'
    f'<path d="M0.92,-0.98L0.3,-0.86L0.72,-0.36Z" fill="{_PIG_SHADE}"/>'
    f'<ellipse cx="0" cy="0" rx="1" ry="0.9" fill="{_PIG_SKIN}"/>'
    f'<ellipse cx="0" cy="0.26" rx="0.44" ry="0.32" fill="{_PIG_SHADE}"/></g>'
    f'<g fill="{_PIG_LINE}">'
    '<ellipse cx="-0.17" cy="0.26" rx="0.08" ry="0.13"/>'
    '<ellipse cx="0.17" cy="0.26" rx="0.08" ry="0.13"/>'
    '<circle cx="-0.44" cy="-0.22" r="0.12"/><circle cx="0.44" cy="-0.22" r="0.12"/></g>'
    '<g fill="#fff"><circle cx="-0.4" cy="-0.26" r="0.04"/>'
    '<circle cx="0.48" cy="-0.26" r="0.04"/></g>'
)

_BOWL_LINE = "#3c4a1e"

FOOD_BOWL: Final = (
    f'<g stroke="{_BOWL_LINE}" stroke-width="0.07" stroke-linejoin="round">'
    '<g fill="#f2b632"><circle cx="-0.5" cy="-0.2" r="0.34"/><circle cx="0.5" cy="-0.2" r="0.34"/>'
    '<circle cx="0" cy="-0.46" r="0.4"/><circle cx="-0.2" cy="-0.08" r="0.32"/>'
    '<circle cx="0.24" cy="-0.08" r="0.32"/></g>'
    '<path d="M-1.05,0H1.05L0.74,0.76Q0.7,0.86 0.58,0.86H-0.58Q-0.7,0.86 -0.74,0.76Z" '
    'fill="#5f8f3a"/></g>'
)
