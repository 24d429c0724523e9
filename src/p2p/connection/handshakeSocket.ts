import type { Socket } from 'node:net'
import { P2pError } from '../wire/p2pError.ts'

/**
 * A socket before its first frame: what arrives is asked for, and everything ends at the deadline, when the caller
 * does not want it any more, or when the other end goes. It keeps no more than the socket itself does.
 */
export class HandshakeSocket {
  readonly socket: Socket
  readonly #signal: AbortSignal | undefined
  readonly #deadline: NodeJS.Timeout
  #failure: P2pError | null = null
  #wake: (() => void) | null = null

  /** @param limit milliseconds until all of it must be over */
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

  /** Lets go of the socket, which goes on. @throws P2pError when it has ended meanwhile */
  release(): void {
    this.#detach()
    if (this.#failure !== null) throw this.#failure
  }

  /** Ends the socket; what was written goes out before, where the other end only speaks another version. */
  end(error: unknown): void {
    this.#detach()
    // One that is ended may still report an error, which nobody waits for.
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
