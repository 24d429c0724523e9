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
import { checkedField } from '../ui/checkedField.js'
import { el, fill } from '../ui/dom.js'
import { folded, longText, notice } from '../ui/parts.js'
import { senderSelect } from '../ui/senderSelect.js'
import { valueList } from '../ui/values.js'
import { actionForm } from './actionForm.js'
import { showSent } from './sent.js'

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
  if (!isRead && senders.length === 0) {
    return notice(
      'Nobody can send from here: the node lends this page no account, and the browser has no wallet.',
    )
  }
  const writing = isRead ? null : writingFields(context, item, senders, id)
  const accounts = senders.filter(({ kind }) => kind === 'node')
  const hasCaller = item.mutability === 'view' && accounts.length > 0
  const caller = hasCaller ? senderSelect(context, accounts, `${id}-from`) : null
  /** @param {Element} output */
  const read = async (output) => {
    const sender = caller?.chosen() ?? null
    const from = sender?.kind === 'node' ? { from: sender.address } : {}
    const call = { ...from, to: address, data: data() }
    const result = await context.client.call('eth_call', [call, 'latest'], signal)
    fill(output, returned(context, item, String(result)))
    announce('the result is there')
  }
  /** @param {Element} output */
  const write = async (output) => {
    const payload = { to: address, data: data(), ...writing?.read() }
    const sender = writing?.sender() ?? null
    if (sender === null) return
    void showSent(context, output, await sendFrom(context, sender, payload, signal), signal)
  }
  return actionForm(
    context,
    {
      fields: [
        inputs.map(({ element }) => element),
        writing?.elements ?? null,
        caller === null ? null : folded('Asked by', caller.element),
      ],
      label: isRead ? 'Read' : 'Send',
      address,
      run: isRead ? read : write,
    },
    signal,
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
