"""Signing in: the token endpoint, with RS256 grants of service accounts, and users' refresh."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import urllib.parse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from .errors import ApiError, Obj, invalid_grant

if TYPE_CHECKING:
    from .clock import Clock

JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
GOOGLE_TOKEN_URI = "https://oauth2.googleapis.com/token"
_LONGEST_GRANT = 3600
_SKEW = 600


@dataclass
class ServiceAccount:
    email: str
    key_id: str
    key: rsa.RSAPrivateKey

    @classmethod
    def new(cls, email: str) -> ServiceAccount:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        return cls(email, secrets.token_hex(20), key)

    def file(self, token_uri: str) -> Obj:
        """The credentials file as the cloud console hands it out."""
        pem = self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        certificates = "https://www.googleapis.com/robot/v1/metadata/x509/"
        return {
            "type": "service_account",
            "project_id": self.email.partition("@")[2].partition(".")[0],
            "private_key_id": self.key_id,
            "private_key": pem.decode(),
            "client_email": self.email,
            "client_id": "100000000000000000001",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": token_uri,
            "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs",
            "client_x509_cert_url": certificates + urllib.parse.quote(self.email, safe=""),
            "universe_domain": "googleapis.com",
        }


@dataclass
class User:
    """A person who signed in to a desktop client and let it keep a refresh token."""

    email: str
    client_id: str
    client_secret: str
    refresh_token: str
    scopes: list[str]
    revoked: bool = False

    def file(self) -> Obj:
        return {
            "type": "authorized_user",
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "refresh_token": self.refresh_token,
        }


@dataclass
class Token:
    email: str
    scopes: list[str]
    expires: float
    is_service: bool


class Accounts:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.seconds = 3599  # the life of a new token
        self.token_uris = {GOOGLE_TOKEN_URI}  # what a grant may name as its audience
        self.services: dict[str, ServiceAccount] = {}
        self.users: dict[str, User] = {}  # by refresh token
        self.tokens: dict[str, Token] = {}
        self.codes: dict[str, User] = {}  # consent given, not yet exchanged

    def service(self, email: str) -> ServiceAccount:
        if email not in self.services:
            self.services[email] = ServiceAccount.new(email)
        return self.services[email]

    def user(self, email: str, scopes: list[str]) -> User:
        client = f"{secrets.randbelow(10**12):012}-desktop.apps.googleusercontent.com"
        user = User(
            email, client, secrets.token_urlsafe(18), "1//" + secrets.token_urlsafe(48), scopes
        )
        self.users[user.refresh_token] = user
        return user

    def issue(self, email: str, scopes: list[str], *, is_service: bool = False) -> str:
        token = "ya29." + secrets.token_urlsafe(32)
        self.tokens[token] = Token(email, scopes, self.clock.now() + self.seconds, is_service)
        return token

    def expire_tokens(self) -> None:
        """Every token handed out so far stops working at once."""
        self.tokens.clear()

    def bearer(self, header: str) -> Token | None:
        token = self.tokens.get(header.removeprefix("Bearer ").strip())
        return token if token is not None and token.expires > self.clock.now() else None

    def grant(self, body: bytes, authorization: str = "") -> Obj:
        """Answer a POST to the token endpoint; a client may also say who it is in the header."""
        form = dict(urllib.parse.parse_qsl(body.decode("utf-8", "replace")))
        if authorization.startswith("Basic "):
            client = base64.b64decode(authorization.removeprefix("Basic ")).decode(
                "utf-8", "replace"
            )
            form["client_id"], _, form["client_secret"] = client.partition(":")
        kind = form.get("grant_type")
        if kind == JWT_GRANT:
            return self._for_assertion(form.get("assertion", ""))
        if kind == "refresh_token":
            return self._for_refresh(form)
        if kind == "authorization_code":
            return self._for_code(form)
        text = f"Invalid grant_type: {kind or ''}"
        raise ApiError(400, {"error": "unsupported_grant_type", "error_description": text})

    def _answer(self, email: str, scopes: list[str], *, is_service: bool) -> Obj:
        token = self.issue(email, scopes, is_service=is_service)
        return {
            "access_token": token,
            "expires_in": self.seconds,
            "scope": " ".join(scopes),
            "token_type": "Bearer",
        }

    def _for_assertion(self, assertion: str) -> Obj:
        claims = self._verified(assertion)
        scopes = str(claims.get("scope", "")).split()
        if not scopes:
            text = "Invalid OAuth scope or ID token audience provided."
            raise ApiError(400, {"error": "invalid_scope", "error_description": text})
        answer = self._answer(str(claims["iss"]), scopes, is_service=True)
        del answer["scope"]
        return answer

    def _verified(self, assertion: str) -> Obj:
        """The claims of a signed grant, once signature, audience and times hold."""
        parts = assertion.split(".")
        if len(parts) != 3:
            raise invalid_grant("Invalid JWT: Failed to parse.")
        header, claims = _decoded(parts[0]), _decoded(parts[1])
        account = self.services.get(str(claims.get("iss")))
        if account is None:
            raise invalid_grant("Invalid grant: account not found")
        if header.get("alg") != "RS256" or header.get("kid") != account.key_id:
            raise invalid_grant("Invalid JWT Signature.")
        try:
            account.key.public_key().verify(
                _bytes(parts[2]),
                f"{parts[0]}.{parts[1]}".encode(),
                padding.PKCS1v15(),
                hashes.SHA256(),
            )
        except InvalidSignature:
            raise invalid_grant("Invalid JWT Signature.") from None
        self._check_claims(claims)
        return claims

    def _check_claims(self, claims: Obj) -> None:
        if claims.get("aud") not in self.token_uris:
            raise invalid_grant(
                "Invalid JWT: Failed audience check. The right audience is the token URI."
            )
        now = self.clock.now()
        issued, expires = float(claims.get("iat", 0)), float(claims.get("exp", 0))
        short = 0 < expires - issued <= _LONGEST_GRANT
        if not short or issued > now + _SKEW or expires < now - _SKEW:
            raise invalid_grant(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
                "timeframe. Check your iat and exp values in the JWT claim."
            )

    def _for_refresh(self, form: dict[str, str]) -> Obj:
        user = self.users.get(form.get("refresh_token", ""))
        if user is None or user.revoked:
            raise invalid_grant("Token has been expired or revoked.")
        _check_client(user, form)
        scopes = form.get("scope", "").split() or user.scopes
        if not set(scopes) <= set(user.scopes):
            raise ApiError(400, {"error": "invalid_scope", "error_description": "Bad Request"})
        return self._answer(user.email, scopes, is_service=False)

    def consent(self, query: dict[str, str]) -> str:
        """What the consent page does once its button is pressed: the address to go back to."""
        user = next((u for u in self.users.values() if u.client_id == query.get("client_id")), None)
        if user is None:
            raise ApiError(401, {"error": "invalid_client"})
        user.scopes = query.get("scope", "").split()
        code = "4/" + secrets.token_urlsafe(24)
        self.codes[code] = user
        back = {"code": code, "scope": " ".join(user.scopes)}
        back |= {"state": query["state"]} if "state" in query else {}
        return f"{query.get('redirect_uri', '')}?{urllib.parse.urlencode(back)}"

    def _for_code(self, form: dict[str, str]) -> Obj:
        user = self.codes.pop(form.get("code", ""), None)
        if user is None:
            raise invalid_grant("Malformed auth code.")
        _check_client(user, form)
        answer = self._answer(user.email, user.scopes, is_service=False)
        return answer | {"refresh_token": user.refresh_token}


def _check_client(user: User, form: dict[str, str]) -> None:
    if form.get("client_id") != user.client_id or form.get("client_secret") != user.client_secret:
        text = "The provided client secret is invalid."
        raise ApiError(401, {"error": "invalid_client", "error_description": text})


def _bytes(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise invalid_grant("Invalid JWT: Failed to parse.") from None


def _decoded(text: str) -> Obj:
    try:
        found: Any = json.loads(_bytes(text))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise invalid_grant("Invalid JWT: Failed to parse.")
    return found
