"""One class per port: what every adapter and every fake of it must do."""
