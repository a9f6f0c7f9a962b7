"""compose.yaml says at once what is missing, and agrees with the Containerfile and its page."""

import re
import subprocess
from collections import Counter

import yaml

from tests.deployment.production import commands
from tests.migrated import ROOT

TEXT = (ROOT / "compose.yaml").read_text()
SERVICES = yaml.safe_load(TEXT)["services"]
CONTAINERFILE = (ROOT / "Containerfile").read_text()


def test_each_image_is_built_by_one_service_because_builds_of_one_at_once_may_fail():
    built = Counter(service["image"] for service in SERVICES.values() if "build" in service)
    assert set(built.values()) == {1}
    assert built.keys() == {
        image for image in (service["image"] for service in SERVICES.values()) if "foa" in image
    }


def test_no_file_that_an_image_is_built_from_is_left_out_of_its_context():
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", CONTAINERFILE, re.M)
    files = {name for names in copied for name in names.split() if name != "."}
    assert files == {"requirements-streams.txt", "requirements-lab.txt", "docs/nginx.conf"}
    assert files <= set(re.findall(r"^!(.+)$", (ROOT / ".containerignore").read_text(), re.M))


def test_what_compose_asks_for_is_what_its_page_writes_into_env():
    (first_list,) = commands("containers.md")["From nothing to the first list"]
    written = re.search(r"> \.env\) <<END\n(.*?)^END", first_list, re.M | re.S)[1]
    assert set(re.findall(r"\$\{(\w+):\?Write \1 to \.env", TEXT)) == {
        "VERSION",
        "SECRET_KEY",
        "POSTGRES_PASSWORD",
    }
    assert re.findall(r"^(\w+)=", written, re.M) == [
        "VERSION",
        "ALLOWED_HOSTS",
        "SECRET_KEY",
        "POSTGRES_PASSWORD",
    ]


def test_postgresql_is_given_no_secret_of_the_site():
    assert "env_file" not in SERVICES["database"]
    assert SERVICES["database"]["environment"].keys() == {
        "POSTGRES_USER",
        "POSTGRES_PASSWORD",
        "POSTGRES_INITDB_ARGS",
    }


def test_site_and_worker_wait_for_migrate_and_none_runs_with_rights_that_it_does_not_need():
    for name in ("site", "worker"):
        assert SERVICES[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
        assert SERVICES[name]["restart"] == "unless-stopped"
    assert SERVICES["migrate"]["restart"] == "no"
    for name in ("migrate", "site", "worker"):
        assert (SERVICES[name]["read_only"], SERVICES[name]["cap_drop"]) == (True, ["ALL"])
    office = CONTAINERFILE.partition(" AS office\n")[2].partition("\nFROM ")[0]
    assert "\nUSER foa\n" in office


def test_volumes_are_where_the_image_makes_directories_of_its_user():
    made = re.search(r"install -d -o foa -g foa (.*)$", CONTAINERFILE, re.M)[1].split()
    places = [volume.split(":")[1] for volume in SERVICES["site"]["volumes"] if not volume.startswith("./")]
    assert places == ["/srv/foa/data", "/var/backups/foa"]
    assert set(places) <= set(made)


def test_a_site_is_given_longer_to_end_than_it_gives_its_requests():
    graceful = int(re.search(r'"--graceful-timeout", "(\d+)"', CONTAINERFILE)[1])
    assert SERVICES["site"]["stop_grace_period"] == "75s"
    assert graceful < 75


def test_nginx_asks_the_one_site_and_sends_visitors_to_the_host_they_asked_for():
    text = (ROOT / "docs" / "nginx.conf").read_text()
    (told,) = re.findall(r"^RUN sed -i (.*?) \\$", CONTAINERFILE, re.M)
    script = [part.strip("'") for part in told.replace("-e ", "").split()]
    proxy = subprocess.run(
        ["sed", *(f"-e{part}" for part in script)], input=text, capture_output=True, text=True, check=True
    ).stdout
    # The process for streams shares the network of nginx; without it, the site answers.
    assert re.findall(r"^ +server ([^ ;]+)", proxy, re.M) == ["site:8000", "127.0.0.1:8010", "site:8000"]
    assert SERVICES["streams"]["network_mode"] == "service:proxy"
    assert SERVICES["streams"]["command"][:4] == ["uvicorn", "foa.asgi:application", "--port", "8010"]
    assert re.findall(r"return 301 (\S+);", proxy) == ["https://$host$request_uri"]
