import { addon } from './addon.ts'

/**
 * The descriptor of an open WebSocket of the socket library.
 * @returns null where it cannot be known: on other systems than Linux, and where Node.js or the library are built
 *   otherwise than those that were tried
 */
export function socketDescriptor(socket: { getRemoteAddress(): ArrayBuffer }): number | null {
  return addon.socketDescriptor(socket, new Uint8Array(socket.getRemoteAddress()))
}

/**
 * Bytes that were received on TCP sockets, and read, since their connections were made; -1 for what is no such socket.
 */
export function receivedBytes(descriptors: Int32Array): Float64Array {
  return addon.receivedBytes(descriptors)
}

/** Bounds what the kernel keeps of a connection until it is read, bytes; whether it did. */
export function limitReceiveBuffer(descriptor: number, bytes: number): boolean {
  return addon.limitReceiveBuffer(descriptor, bytes)
}

/**
 * Has a WebSocket be read, or not until it is to be read again; whether it did. The library itself has it read when it
 * begins or ends to wait until it can write.
 * @param socket one that is open
 * @param descriptor what {@link socketDescriptor} has said of it
 */
export function setReading(
  socket: { getBufferedAmount(): number },
  descriptor: number,
  isReading: boolean,
): boolean {
  return addon.setReading(socket, descriptor, isReading, socket.getBufferedAmount() > 0)
}
