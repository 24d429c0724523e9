import type { Socket } from 'node:net'
import { P2pError } from '../wire/p2pError.ts'

/**
 * A socket during the handshake: bytes are read on request, and reads end at the deadline, when the caller
 * aborts, or when the other end disconnects. It buffers no more than the socket does.
 */
export class HandshakeSocket {
  readonly socket: Socket
  readonly #signal: AbortSignal | undefined
  readonly #deadline: NodeJS.Timeout
  #failure: P2pError | null = null
  #wake: (() => void) | null = null

  /** @param limit deadline of the whole handshake, milliseconds */
  constructor(socket: Socket, limit: number, signal?: AbortSignal) {
    this.socket = socket
    this.#signal = signal
    this.#deadline = setTimeout(this.#onDeadline, limit).unref()
    socket.on('readable', this.#onReadable).on('error', this.#onError).on('close', this.#onClose)
    signal?.addEventListener('abort', this.#onAbort)
    if (signal?.aborted === true) this.#onAbort()
    else if (socket.destroyed) this.#onClose()
  }

  /** The next bytes. @throws P2pError TIMEOUT, ABORTED or ENDED */
  async read(): Promise<Buffer> {
    for (;;) {
      if (this.#failure !== null) throw this.#failure
      const chunk: Buffer | null = this.socket.read()
      if (chunk !== null) return chunk
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Releases the socket, which stays open. @throws P2pError when it has ended meanwhile */
  release(): void {
    this.#detach()
    if (this.#failure !== null) throw this.#failure
  }

  /** Ends the socket; pending data is sent first if the other end only speaks another version. */
  end(error: unknown): void {
    this.#detach()
    // A destroyed socket may still emit an error, which nobody handles.
    this.socket.on('error', () => {})
    if (error instanceof P2pError && error.code === 'INCOMPATIBLE') this.socket.destroySoon()
    else this.socket.destroy()
  }

  #detach(): void {
    clearTimeout(this.#deadline)
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.socket.off('readable', this.#onReadable).off('error', this.#onError).off('close', this.#onClose)
  }

  readonly #onReadable = (): void => {
    this.#wake?.()
    this.#wake = null
  }

  readonly #onDeadline = (): void => this.#fail(new P2pError('TIMEOUT', 'the handshake took too long'))
  readonly #onAbort = (): void => this.#fail(new P2pError('ABORTED', 'the handshake is not wanted any more'))
  readonly #onClose = (): void => this.#fail(new P2pError('ENDED', 'the other end closed in the handshake'))
  readonly #onError = (cause: Error): void => this.#fail(new P2pError('ENDED', cause.message, { cause }))

  #fail(error: P2pError): void {
    this.#failure ??= error
    this.#onReadable()
  }
}
