/**
 * Runs in the browser: the document as text, null when it is longer than `most`. Where scripts changed the
 * address, relative links begin at the new one.
 *
 * Open shadow trees are read as people see them: in the place of their host's own children, which stand where
 * the slots are. The text is then that of a copy in a document that nothing runs in, because moving elements
 * of the page would call its scripts.
 */
export const SERIALISE = `function (url, most) {
  const here = document.baseURI.split('#')[0]
  if (here !== url && !document.querySelector('base[href]')) {
    const base = document.createElement('base')
    base.href = here
    document.head?.prepend(base)
  }
  const root = document.documentElement
  const hasShadows = [...document.querySelectorAll('*')].some(({ shadowRoot }) => shadowRoot)
  const html = (hasShadows ? flatten(root) : root)?.outerHTML ?? ''
  return html.length > most ? null : '<!doctype html>' + html

  function flatten(root) {
    const inert = document.implementation.createHTMLDocument('')
    const copy = inert.importNode(root, false)
    const ahead = [[root, copy]]
    for (let next = ahead.pop(); next; next = ahead.pop()) {
      const [from, to] = next
      for (const node of shownIn(from)) {
        const own = inert.importNode(node, node.localName === 'template')
        to.append(own)
        // Where scripts run it holds the text of its elements.
        if (node.localName === 'noscript') own.innerHTML = node.textContent
        else ahead.push([node, own])
      }
    }
    return copy
  }

  function shownIn(node) {
    const tree = node.shadowRoot ?? node
    const nodes = [...tree.childNodes]
    if (!(tree.getRootNode() instanceof ShadowRoot)) return nodes
    // JSON-LD beside a shadow tree is shown nowhere, but it is there to be read.
    const data = node.shadowRoot ? [...node.children].filter(isScript) : []
    const shown = nodes.flatMap((each) => isSlot(each) ? each.assignedNodes({ flatten: true }) : [each])
    return shown.filter((each) => !isScript(each) && each.localName !== 'style').concat(data)
  }

  function isSlot({ localName }) {
    return localName === 'slot'
  }

  function isScript({ localName }) {
    return localName === 'script'
  }
}`
