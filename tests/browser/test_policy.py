"""Chromium stops what the policy forbids."""


def test_a_script_from_elsewhere_is_stopped(page, live_server):
    page.goto(f"{live_server.url}/calculators/")
    script = "Object.assign(document.createElement('script'), {src: 'https://evil.example/x.js'})"
    stopped = (
        "new Promise(seen => document.addEventListener('securitypolicyviolation', e => seen(e.blockedURI)))"
    )
    assert page.evaluate(
        f"() => {{ const seen = {stopped}; document.head.append({script}); return seen }}"
    ) == ("https://evil.example/x.js")
