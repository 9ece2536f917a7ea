"""Models, decision tables and forms: checked, drawn, deployed."""
