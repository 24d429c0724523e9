import { RpcFailure } from '../rpc/client.js'
import { el } from '../ui/dom.js'
import { heading, notice } from '../ui/parts.js'

/**
 * What is shown in place of a view that could not be made.
 * @param {unknown} error
 * @param {() => void} again
 * @returns {Node[]}
 */
export function failure(error, again) {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof RpcFailure && error.code !== null ? ` (${error.code})` : ''
  const retry = el('button', { type: 'button', on: { click: again } }, 'Try again')
  return [heading('This did not work'), notice(`${message}${code}`, retry)]
}
