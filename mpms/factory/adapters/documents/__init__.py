"""Documents on paper."""

from mpms.factory.adapters.documents.setting import TypstDocuments

__all__ = ["TypstDocuments"]
