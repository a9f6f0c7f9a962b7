"""Addresses of the login pages. Their names have no namespace, because Django's own pages use some."""

from django.contrib.auth import views as auth_views
from django.urls import include, path
from django.views.generic import RedirectView

from foa.account import addresses, arena, factors, reset, views
from foa.account.forms import LoginForm
from foa.web.posted import only_posted

urlpatterns = [
    path(
        "login/",
        auth_views.LoginView.as_view(
            authentication_form=LoginForm, extra_context={"arena": arena.is_offered}
        ),
        name="login",
    ),
    path("login/second-step/", views.second_step, name="second_step"),
    path("login/passkey/", include(factors.urlpatterns)),
    *arena.urlpatterns,
    path("logout/", only_posted("account")(auth_views.LogoutView.as_view()), name="logout"),
    path("account/", views.account, name="account"),
    path("account/confirm/", views.confirm_password, name="confirm_password"),
    path("account/address/", addresses.change_address, name="change_address"),
    path("account/address/<str:token>/", addresses.confirm_address, name="confirm_address"),
    path("account/password/", views.ChangePasswordView.as_view(), name="change_password"),
    path("account/app/", views.add_app, name="add_app"),
    path("account/passkey/", views.add_passkey, name="add_passkey"),
    path("account/recovery-codes/", views.recovery_codes, name="recovery_codes"),
    path("account/remove/", views.remove_factor, name="remove_factor"),
    path("account/sessions/end/", views.end_sessions, name="end_sessions"),
    path("password/forgotten/", reset.ForgottenView.as_view(), name="password_reset"),
    path("password/sent/", auth_views.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path("password/new/<uidb64>/<token>/", reset.NewPasswordView.as_view(), name="password_reset_confirm"),
    path("password/changed/", auth_views.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
    # Django's login page of the admin links to it.
    path(
        "admin/password_reset/",
        RedirectView.as_view(pattern_name="password_reset"),
        name="admin_password_reset",
    ),
]
