"""Password resets by a mailed link, which the worker sends.

The answer is the same, and takes the same time, whether the mail address is known or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from axes.utils import reset as forget_attempts
from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import translation
from django_tasks import task

from foa.account.arena import unlink
from foa.account.notify import LoginChange, notify_user
from foa.mails import is_allowed
from foa.proxies import origin
from foa.repeatable import repeatable

_MAILS: Final = 3
"""Maximum mails an hour to one mail address; below, maximum requests an hour from one network address."""
_REQUESTS: Final = 20


class _LinkForm(PasswordResetForm):
    """Form that mails a link to one login."""

    def __init__(self, user: User) -> None:
        super().__init__({"email": user.email})
        self.user = user

    def get_users(self, email: str) -> Iterator[User]:
        """Yield the given user."""
        yield self.user


class _ForgottenForm(PasswordResetForm):
    """Django's form, also for those who log in with the arena and have no password yet."""

    def get_users(self, email: str) -> Iterator[User]:
        """Yield the logins of an address to which a link is mailed."""
        yield from super().get_users(email)
        linked = User.objects.filter(email__iexact=email, is_active=True, arena_login__isnull=False)
        yield from (user for user in linked if not user.has_usable_password())


class ForgottenView(views.PasswordResetView):
    """View that asks for the mail address of a login. Status 429 after too many requests."""

    form_class = _ForgottenForm

    def form_valid(self, form: Any) -> HttpResponse:
        """Queue the mails with links, if there are any to send."""
        if not is_allowed("password-reset:from", origin(self.request), _REQUESTS):
            return render(self.request, "registration/too_many_requests.html", status=429)
        email = form.cleaned_data["email"]
        users = (
            list(form.get_users(email)) if is_allowed("password-reset:to", email.casefold(), _MAILS) else []
        )
        # SITE_URL, not the host of the request, which an attacker who requests another user's link could
        # choose.
        site = urlsplit(settings.SITE_URL)
        send_links.enqueue(
            users=[user.pk for user in users],
            host=site.netloc,
            secure=site.scheme == "https",
            language=translation.get_language(),
        )
        return HttpResponseRedirect(self.get_success_url())


class NewPasswordView(views.PasswordResetConfirmView):
    """View that sets a new password, ends the old sessions and resets the count of wrong passwords.

    Whoever knew the old password may have linked an account of theirs at the arena, so that link ends, too.
    """

    def form_valid(self, form: Any) -> HttpResponse:
        """Store the password and notify the user."""
        had_one = form.user.has_usable_password()
        answer = super().form_valid(form)
        if had_one:
            unlink(form.user)
        forget_attempts(username=form.user.get_username())
        notify_user(form.user, LoginChange.PASSWORD)
        return answer


@task()
@repeatable
def send_links(users: list[int], host: str, secure: bool, language: str) -> None:
    """Mail each of these logins a link that sets a new password."""
    with translation.override(language):
        for user in User.objects.filter(pk__in=users):
            form = _LinkForm(user)
            if form.is_valid():
                form.save(
                    domain_override=host,
                    use_https=secure,
                    subject_template_name="registration/password_reset_subject.txt",
                    email_template_name="registration/password_reset_email.txt",
                )
