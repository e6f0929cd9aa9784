"""The 42nd Sagrada: a dice-drafting game whose commands, cards and objectives are data."""
