"""The pages in a real browser, most of them with a whole factory behind them."""
