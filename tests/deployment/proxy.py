"""nginx with docs/nginx.conf, on ports and with paths of a test."""

import re
import subprocess
from contextlib import contextmanager

import urllib3

from tests.deployment.serving import running
from tests.migrated import ROOT
from tests.services import free_port, program


class Proxy:
    """What a visitor asks: by TLS unless they say otherwise, under the name of the example."""

    def __init__(self, http, https, certificate):
        self.ports = {"http": http, "https": https}
        named = {"assert_hostname": "ratings.example", "server_hostname": "ratings.example"}
        self.pool = urllib3.PoolManager(ca_certs=str(certificate), retries=False, **named)

    def ask(self, path, method="GET", *, scheme="https", **how):
        """An answer, without following where it leads."""
        headers = {"Host": "ratings.example", **how.pop("headers", {})}
        address = f"{scheme}://127.0.0.1:{self.ports[scheme]}{path}"
        return self.pool.request(method, address, headers=headers, **how)


@contextmanager
def proxy(place, sites, streams=None):
    """Runs with two sites behind it, and maybe a process for streams. It serves ``place / "static"``."""
    nginx = [program("nginx"), "-p", place, "-c", place / "nginx.conf"]
    certificate, key, static = place / "certificate.pem", place / "key.pem", place / "static"
    static.mkdir(exist_ok=True)
    program("openssl")
    make = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout {key}"
    make += f" -out {certificate} -subj /CN=ratings.example -addext subjectAltName=DNS:ratings.example"
    subprocess.run(make.split(), check=True, capture_output=True)
    http, https = free_port(), free_port()
    example = (ROOT / "docs" / "nginx.conf").read_text()
    # A machine of tests may have no IPv6.
    example = re.sub(r"^ *listen \[::\].*\n", "", example, flags=re.M)
    for written, here in {
        "listen 80;": f"listen 127.0.0.1:{http};",
        "listen 443 ssl": f"listen 127.0.0.1:{https} ssl",
        "127.0.0.1:8010": streams or f"127.0.0.1:{free_port()}",
        "127.0.0.1:8001": sites[0],
        "127.0.0.1:8002": sites[1],
        "/etc/letsencrypt/live/ratings.example/fullchain.pem": str(certificate),
        "/etc/letsencrypt/live/ratings.example/privkey.pem": str(key),
        "/srv/foa/staticfiles/": f"{static}/",
        "/var/www/html": str(place),
        "/var/lib/nginx/foa": f"{place}/kept",
    }.items():
        assert written in example, written
        example = example.replace(written, here)
    (place / "site.conf").write_text(example)
    kept = "".join(
        f"{kind}_temp_path {place}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # What Debian's nginx.conf says around a site, and a home of its own.
    (place / "nginx.conf").write_text(
        "daemon off; worker_processes 1; user root;\n"
        f"error_log stderr; pid {place}/nginx.pid;\n"
        "events { worker_connections 768; }\n"
        f"http {{ {kept} gzip on; access_log {place}/access.log; include /etc/nginx/mime.types;\n"
        "default_type application/octet-stream; include site.conf; }\n"
    )
    done = subprocess.run([*nginx, "-t"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with running(nginx, cwd=place, log="nginx.log"):
        visitor = Proxy(http, https, certificate)
        # It doesn't say when its ports are open: whoever is refused asks again.
        again = urllib3.Retry(40, backoff_factor=0.05, backoff_max=0.2)
        urllib3.request("GET", f"http://127.0.0.1:{http}/", retries=again, redirect=False)
        yield visitor
