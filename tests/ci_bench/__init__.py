"""What `bakeoff ci` promises, measured: false alarms of equals, and a planted 5 % found."""
