import { asBuffer } from '../../util/bytes.ts'
import { raisedBy, signalOf } from './stopFlag.ts'

/**
 * A value as it crosses threads: what structured cloning keeps, in arrays and plain objects. A signal becomes a flag in
 * shared memory, and numbers in shared memory stay shared. Byte arrays that are views get memory of their own: a message
 * carries the whole memory of a view.
 * @throws TypeError for what would arrive as something else: functions, objects of a class
 */
export function toMessage(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw unclonable(typeof value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return compact(value)
  if (Array.isArray(value)) return value.map(toMessage)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return fieldsToMessage(value)
  if (value instanceof AbortSignal) return raisedBy(value)
  if (value instanceof Float64Array && value.buffer instanceof SharedArrayBuffer) return value
  throw unclonable(value.constructor.name)
}

function fieldsToMessage(value: object): object {
  const message: Record<string, unknown> = {}
  for (const key of Object.keys(value)) message[key] = toMessage((value as Record<string, unknown>)[key])
  return message
}

/** The value that {@link toMessage} was given; arrays and objects of the message are reused. */
export function fromMessage(message: unknown): unknown {
  if (typeof message !== 'object' || message === null) return message
  // Cloning makes a Uint8Array of a Buffer.
  if (message instanceof Uint8Array) return asBuffer(message)
  // Nothing else is sent as one.
  if (message instanceof Int32Array) return signalOf(message)
  if (message instanceof Float64Array) return message
  if (Array.isArray(message)) {
    for (let index = 0; index < message.length; index += 1) message[index] = fromMessage(message[index])
    return message
  }
  const fields = message as Record<string, unknown>
  for (const key of Object.keys(fields)) fields[key] = fromMessage(fields[key])
  return message
}

function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}

function unclonable(what: string): TypeError {
  return new TypeError(`a ${what} cannot cross threads`)
}
