"""Attacks on enforcement, run against real processes: does a forbidden call ever get through?"""
