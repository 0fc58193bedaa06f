// The Pareto front in two figures: the points that no other is at least as good as in both, and better in one.

function paretoFront(points, x, y) {
  const cost = (point, figure) => (figure.best === "least" ? point[figure.name] : -point[figure.name]);
  const known = points.filter((point) => point[x.name] !== null && point[y.name] !== null);
  const sorted = known.slice().sort((a, b) => cost(a, x) - cost(b, x) || cost(a, y) - cost(b, y));
  const front = [];
  for (const point of sorted) {
    const last = front[front.length - 1];
    const equal = last && cost(point, x) === cost(last, x) && cost(point, y) === cost(last, y);
    if (!last || equal || cost(point, y) < cost(last, y)) front.push(point);
  }
  return front;
}
