/** As a canvas wants it: what a custom property of style.css comes to in this theme. */
export function colourIn(element: HTMLElement, property: string): string {
  element.style.color = `var(${property})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}
