"""Lantern: a small shop for paper lanterns, the sample project of the DMM demo."""
