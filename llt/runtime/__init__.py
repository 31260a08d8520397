"""What every part asks of the machine: device, precision, environment, safe files."""
