"""What figures share: house style, labels that find room, panels of several figures."""
