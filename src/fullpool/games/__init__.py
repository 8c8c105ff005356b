"""What is played. Games know nothing of learning; `contract` says what a learner may ask of them."""
