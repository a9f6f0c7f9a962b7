"""Chromium stops what the policy forbids, and tells the site."""


def test_a_script_from_elsewhere_is_stopped_and_reported(page, live_server, caplog, request):
    page.goto(f"{live_server.url}/calculators/")
    script = "Object.assign(document.createElement('script'), {src: 'https://evil.example/x.js'})"
    with page.expect_response("**/csp-reports/") as sent:
        page.evaluate(f"document.head.append({script})")
    assert sent.value.status == 204
    if request.config.pluginmanager.hasplugin("tests.two_sites"):
        return  # They have logs of their own.
    assert [one.getMessage() for one in caplog.records if one.name == "foa.policy"] == [
        "Stopped by the content security policy: script-src-elem stopped evil.example on calculators:index"
    ]
