"""Pictures of situations, styled by the rule set."""
