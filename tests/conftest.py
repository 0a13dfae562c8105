"""Helpers of the tests are plain modules beside them."""
