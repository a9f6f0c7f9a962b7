"""The id of a request: on error pages, in problems, in jobs and in their log lines."""

import json
import logging

import pytest
from django.test import override_settings
from django_tasks import task

from foa.monitoring.logs import add_request_id, logging_settings, request_id
from ratings.office import jobs
from ratings.office.models import Job

ID = "0123456789abcdef"
ASKED = {"X-Request-ID": ID, "X-Forwarded-Proto": "https"}


@task(takes_context=True)
def fail(context):
    """A job that goes wrong."""
    with jobs.running(context):
        raise ValueError("a fault")


@pytest.fixture
def behind_a_proxy():
    with override_settings(HTTPS=True, TRUSTED_PROXIES=["127.0.0.1"]):
        yield


@pytest.fixture
def asked_under():
    """Within a request of this id."""
    token = request_id.set(ID)
    yield
    request_id.reset(token)


@pytest.mark.django_db
class TestAnswers:
    def test_every_answer_has_an_id_of_its_own(self, client):
        ids = [client.get("/calculators/")["X-Request-ID"] for _time in range(2)]
        assert [len(one) for one in ids] == [32, 32]
        assert ids[0] != ids[1]

    def test_without_a_proxy_nobody_chooses_the_id(self, client):
        assert client.get("/calculators/", headers=ASKED)["X-Request-ID"] != ID

    @pytest.mark.parametrize(("address", "status"), [("/nowhere/", 404), ("/calculators/?a=%00", 400)])
    def test_pages_of_errors_name_it(self, client, behind_a_proxy, address, status):
        page = client.get(address, headers=ASKED)
        assert (page.status_code, page["X-Request-ID"]) == (status, ID)
        assert f"<code>{ID}</code>" in page.text

    def test_a_page_of_a_fault_names_it(self, client, behind_a_proxy, monkeypatch):
        client.raise_request_exception = False
        monkeypatch.setattr("ratings.calculators.views.IndexView.template_name", "nowhere.html")
        page = client.get("/calculators/", headers=ASKED)
        assert (page.status_code, f"<code>{ID}</code>" in page.text) == (500, True)

    def test_a_refusal_names_it(self, client, behind_a_proxy, django_user_model):
        client.force_login(django_user_model.objects.create_user("clerk", is_staff=True))
        page = client.get("/admin/office/job/", headers=ASKED)
        assert (page.status_code, f"<code>{ID}</code>" in page.text) == (403, True)

    def test_a_refusal_is_one_line_of_the_log_and_a_fault_has_its_traceback(
        self, client, django_user_model, monkeypatch, caplog
    ):
        client.force_login(django_user_model.objects.create_user("clerk", is_staff=True))
        client.get("/admin/office/job/")
        client.get("/games/?after=x")
        client.raise_request_exception = False
        monkeypatch.setattr("ratings.calculators.views.IndexView.template_name", "nowhere.html")
        client.get("/calculators/")
        logged = [(one.levelname, one.status_code, bool(one.exc_info)) for one in caplog.records]
        assert logged == [("WARNING", 403, False), ("WARNING", 400, False), ("ERROR", 500, True)]

    @pytest.mark.parametrize(
        ("address", "status"), [("/api/v1/nowhere/", 404), ("/api/v1/members/?a=%00", 400)]
    )
    def test_problems_of_the_api_name_it(self, client, behind_a_proxy, address, status):
        problem = client.get(address, headers=ASKED)
        assert (problem.status_code, problem.json()["request_id"]) == (status, ID)

    def test_a_job_keeps_it_and_shows_it(self, staff, behind_a_proxy, asked_under):
        job = jobs.enqueue(fail, title="Fail", by=None)
        assert Job.objects.get(pk=job.pk).request_id == ID
        assert ID in staff.get(f"/admin/office/job/{job.pk}/change/").text


@pytest.mark.django_db
def test_what_is_logged_of_a_job_names_the_request_that_asked_for_it(worker, caplog):
    token = request_id.set(ID)
    jobs.enqueue(fail, title="Fail", by=None)
    request_id.reset(token)
    jobs.enqueue(fail, title="Fail", by=None)
    caplog.handler.addFilter(add_request_id)
    worker()
    caplog.handler.removeFilter(add_request_id)
    failed = [one.request_id for one in caplog.records if one.name == "django_tasks" and one.exc_info]
    assert failed == [ID, "-"]
    assert request_id.get() == ""


def test_a_line_of_the_log_is_json_and_has_no_request_in_it(rf):
    settings = logging_settings(as_json=True)
    formatter = logging.config.DictConfigurator(settings).configure_formatter(
        dict(settings["formatters"]["line"])
    )
    record = logging.makeLogRecord(
        {
            "name": "django.request",
            "levelname": "ERROR",
            "msg": "%s: %s",
            "args": ("Not Found", "/nowhere/"),
            "request": rf.get("/?secret"),
            "status_code": 404,
        }
    )
    add_request_id(record)
    line = json.loads(formatter.format(record))
    line.pop("timestamp")
    assert line == {
        "level": "ERROR",
        "logger": "django.request",
        "message": "Not Found: /nowhere/",
        "request_id": "-",
        "status_code": 404,
    }
