"""Rows for the stored models: three round clouds in eight columns; 300 to fit, the first 24 to label."""
import csv, random
random.seed(7)
centres = [[random.gauss(0, 2) for _ in range(8)] for _ in range(3)]
rows = [[round(c + random.gauss(0, 0.6), 3) for c in centres[i % 3]] for i in range(300)]
for name, part in [("fitted.csv", rows), ("rows.csv", rows[:24])]:
    with open(name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"x{j}" for j in range(1, 9)])
        writer.writerows(part)
