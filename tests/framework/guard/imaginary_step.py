LEFT = 1j
