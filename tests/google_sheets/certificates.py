"""A certificate authority made for one test run, and a server certificate signed by it."""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from pathlib import Path

GOOGLE_HOSTS = (
    "sheets.googleapis.com",
    "oauth2.googleapis.com",
    "www.googleapis.com",
    "accounts.google.com",
)
OTHER_HOSTS = ("discord.com", "localhost")


@dataclass(frozen=True)
class Certificates:
    authority: Path  # for REQUESTS_CA_BUNDLE
    certificate: Path
    key: Path


def make(folder: Path) -> Certificates:
    """Write both certificates; the server's stands for Google's hosts and for loopback."""
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root_name = _name("referee test authority")
    root = (
        _builder(root_name, root_name, root_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .sign(root_key, hashes.SHA256())
    )
    names: list[x509.GeneralName] = [x509.DNSName(host) for host in (*GOOGLE_HOSTS, *OTHER_HOSTS)]
    names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key())
    leaf = (
        _builder(_name("referee test server"), root_name, key)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .sign(root_key, hashes.SHA256())
    )
    paths = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    paths.authority.write_bytes(root.public_bytes(serialization.Encoding.PEM))
    paths.certificate.write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
    paths.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=30))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
