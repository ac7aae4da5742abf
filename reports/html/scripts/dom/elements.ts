type Attributes = Readonly<Record<string, string | number>>;

export function setAttributes<T extends Element>(element: T, attributes: Attributes): T {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

export function createHtml<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = '',
  attributes: Attributes = {},
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (text !== '') element.append(text);
  return setAttributes(element, attributes);
}

export const createSvg = <Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
): SVGElementTagNameMap[Name] =>
  setAttributes(document.createElementNS('http://www.w3.org/2000/svg', name), attributes);

export function createButton(text: string, onClick: () => void, attributes: Attributes = {}): HTMLElement {
  const button = createHtml('button', text, { type: 'button', ...attributes });
  button.onclick = onClick;
  return button;
}

export const selectAll = <T extends Element = HTMLElement>(within: ParentNode, selector: string): T[] => [
  ...within.querySelectorAll<T>(selector),
];

/** Shows or hides an element by the class `off`. In print, hidden elements are shown too. */
export function setVisible(element: Element, isVisible: boolean): void {
  element.classList.toggle('off', !isVisible);
}
