/** @import { Endpoint } from '../rpc/endpoint.js' */
import { el } from '../ui/dom.js'
import { heading, notice } from '../ui/parts.js'

/**
 * Asks for an API key.
 * @param {Endpoint} endpoint
 * @param {{ isWrong: boolean, onKey: () => void }} options `isWrong` when the one before was refused
 */
export function keyForm(endpoint, { isWrong, onKey }) {
  const input = el('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'key-note',
  })
  const keep = el('input', { id: 'keep', type: 'checkbox' })
  const submit = () => {
    const key = input.value.trim()
    if (key === '') return
    endpoint.use(key, keep.checked)
    onKey()
  }
  return [
    heading('This node asks for an API key'),
    isWrong ? notice('The node does not know this key, or it is not for this page.') : '',
    el(
      'form',
      {
        class: 'try',
        on: {
          submit: (event) => {
            event.preventDefault()
            submit()
          },
        },
      },
      el('div', { class: 'field' }, el('label', { for: 'key' }, 'API key'), input),
      el('p', { class: 'line' }, keep, el('label', { for: 'keep' }, 'Keep it on this device')),
      el(
        'p',
        { class: 'quiet', id: 'key-note' },
        'It is sent to this node and nowhere else. Without the tick this tab forgets it when it is closed.',
      ),
      el('button', { type: 'submit' }, 'Use key'),
    ),
  ].filter((part) => part instanceof Node)
}
