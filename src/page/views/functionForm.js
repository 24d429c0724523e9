/** @import { Context } from '../types.js' */
/** @import { AbiField, AbiItem, AbiType } from '../abi/abi.js' */
/** @import { Sender } from '../rpc/senders.js' */
import { decodeValues } from '../abi/decode.js'
import { encodeValues } from '../abi/encode.js'
import { exampleOf, parseValue } from '../abi/parseValue.js'
import { typeText } from '../abi/types.js'
import { visibleText } from '../chain/text.js'
import { sendFrom } from '../rpc/senders.js'
import { amountField, numberField } from '../ui/amountField.js'
import { announce } from '../ui/announce.js'
import { checkedField, orNull } from '../ui/checkedField.js'
import { el, fill } from '../ui/dom.js'
import { longText, notice } from '../ui/parts.js'
import { senderSelect } from '../ui/senderSelect.js'
import { valueList } from '../ui/values.js'
import { refusal, showSent } from './sent.js'

/**
 * A form that calls one function of a contract: reading shows what it returns, writing sends a transaction.
 * @param {Context} context
 * @param {{ address: string, item: AbiItem, senders: readonly Sender[] }} target
 * @param {AbortSignal} signal
 */
export function functionForm(context, { address, item, senders }, signal) {
  // A function has one form on a view, and its selector no other has.
  const id = `call-${item.id}`
  const isRead = item.mutability === 'view' || item.mutability === 'pure'
  const inputs = item.inputs.map((input, index) => abiField(input, `${id}-${index}`, index))
  const data = () =>
    `${item.id}${encodeValues(
      item.inputs.map(({ type }) => type),
      inputs.map(({ read }) => read()),
    )}`
  const output = el('div', { class: 'result' })
  if (!isRead && senders.length === 0) {
    return notice(
      'Nobody can send from here: the node lends this page no account, and the browser has no wallet.',
    )
  }
  const writing = isRead ? null : writingFields(context, item, senders, id)
  const button = el('button', { type: 'submit' }, isRead ? 'Read' : 'Send')
  const read = async () => {
    const call = orNull(data)
    if (call === null) return
    const sender = senders[0]
    const from = sender?.kind === 'node' ? { from: sender.address } : {}
    const result = await context.client.call(
      'eth_call',
      [{ ...from, to: address, data: call }, 'latest'],
      signal,
    )
    fill(output, returned(context, item, String(result)))
    announce('the result is there')
  }
  const write = async () => {
    const payload = orNull(() => ({ to: address, data: data(), ...writing?.read() }))
    const sender = writing?.sender() ?? null
    if (payload === null || sender === null) return
    const hash = await sendFrom(context, sender, payload, signal)
    void showSent(context, output, hash, signal)
  }
  const submit = async () => {
    fill(output, null)
    button.disabled = true
    try {
      await (isRead ? read() : write())
    } catch (error) {
      if (!signal.aborted) fill(output, refusal(context, error, address))
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
        // What stands there belongs to what was asked before.
        input: () => fill(output, null),
        submit: (event) => {
          event.preventDefault()
          void submit()
        },
      },
    },
    ...inputs.map(({ element }) => element),
    writing?.elements ?? null,
    button,
    output,
  )
}

/**
 * @param {Context} context
 * @param {AbiItem} item
 * @param {readonly Sender[]} senders
 * @param {string} id
 */
function writingFields(context, item, senders, id) {
  const value = item.mutability === 'payable' ? amountField(`${id}-value`) : null
  const gas = numberField(`${id}-gas`, 'Gas limit', 'estimated where it is empty')
  const from = senderSelect(context, senders, `${id}-from`)
  return {
    elements: [from.element, value?.element ?? null, gas.element],
    read: () => ({ value: value?.read() ?? 0n, gas: gas.read() }),
    sender: from.chosen,
  }
}

/**
 * A field for a parameter.
 * @param {AbiField} field
 * @param {string} id
 * @param {number} index
 */
function abiField({ name, type }, id, index) {
  return checkedField({
    label: name === '' ? `Parameter ${index}` : visibleText(name),
    type: typeText(type),
    field: fieldFor(type, id),
    parse: (text) => parseValue(type, text),
  })
}

/**
 * @param {AbiType} type
 * @param {string} id
 */
function fieldFor(type, id) {
  if (type.kind === 'bool') {
    return el('select', { id }, ...['false', 'true'].map((value) => el('option', { value }, value)))
  }
  const plain = { id, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }
  if (type.kind === 'array' || type.kind === 'tuple') {
    return el('textarea', { ...plain, rows: 3, placeholder: exampleOf(type) })
  }
  return type.kind === 'string'
    ? el('textarea', { ...plain, rows: 1 })
    : el('input', { ...plain, type: 'text' })
}

/**
 * @param {Context} context
 * @param {AbiItem} item
 * @param {string} data
 */
function returned(context, { outputs }, data) {
  const types = outputs.map(({ type }) => type)
  const values = decodeValues(types, data)
  if (values === null) {
    return [notice('What it returned is not what the ABI says.'), longText(data, 'Returned data')]
  }
  if (values.length === 0) return el('p', {}, 'It returned nothing.')
  return valueList(context, outputs, values)
}
