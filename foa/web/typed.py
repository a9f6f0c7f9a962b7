"""Django classes that take a type argument for mypy and refuse one at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.views import generic

__all__ = ["BaseInlineFormSet", "DetailView", "FormView", "ModelAdmin", "ModelForm", "StackedInline"]

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin, StackedInline
    from django.forms import BaseInlineFormSet, ModelForm
    from django.views.generic import DetailView, FormView
else:

    class _Subscriptable:
        def __class_getitem__(cls, argument: Any) -> type:
            return cls

    class BaseInlineFormSet(_Subscriptable, forms.BaseInlineFormSet):
        """Rows of a model that belong to one object."""

    class DetailView(_Subscriptable, generic.DetailView):
        """The page of one object."""

    class FormView(_Subscriptable, generic.FormView):
        """The page of a form."""

    class ModelAdmin(_Subscriptable, admin.ModelAdmin):
        """The admin pages of a model."""

    class ModelForm(_Subscriptable, forms.ModelForm):
        """The form of an object."""

    class StackedInline(_Subscriptable, admin.StackedInline):
        """Rows on the admin page of another model."""
