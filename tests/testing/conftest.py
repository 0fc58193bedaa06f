"""The toy design of the flow's tests."""

from tests.flow.conftest import toy

__all__ = ["toy"]
