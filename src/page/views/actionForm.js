/** @import { Child, Context } from '../types.js' */
import { InputError } from '../ui/checkedField.js'
import { el, fill } from '../ui/dom.js'
import { refusal } from './sent.js'

/**
 * A form that does something and says below what came of it. What an earlier run said is forgotten as soon as
 * somebody writes or sends.
 * @param {Context} context
 * @param {object} action
 * @param {Child} [action.fields]
 * @param {string} action.label of the button
 * @param {string | null} [action.address] of the contract that it calls
 * @param {(output: Element) => Promise<void>} action.run throws InputError where a field does not fit
 * @param {AbortSignal} signal
 */
export function actionForm(context, { fields = null, label, address = null, run }, signal) {
  const output = el('div', { class: 'result' })
  const button = el('button', { type: 'submit' }, label)
  const submit = async () => {
    fill(output, null)
    button.disabled = true
    try {
      await run(output)
    } catch (error) {
      // The field says itself what does not fit.
      if (!signal.aborted && !(error instanceof InputError)) fill(output, refusal(context, error, address))
    } finally {
      button.disabled = false
    }
  }
  return el(
    'form',
    {
      class: 'try',
      novalidate: true,
      on: {
        input: () => fill(output, null),
        submit: (event) => {
          event.preventDefault()
          void submit()
        },
      },
    },
    fields,
    button,
    output,
  )
}
