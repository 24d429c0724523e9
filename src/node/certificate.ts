import { TlsError, type TlsFiles } from '../front/tls.ts'
import { watchTlsFiles } from '../front/watchTls.ts'
import type { Logger } from '../observe/logger.ts'
import type { Service } from './service.ts'

/** Keeps the certificate of the endpoint that of its files. */
export class Certificate {
  readonly #service: () => Service | null
  readonly #log: Logger
  #stop: () => void

  /** To be made before the service: it reads the files, and what changes then is seen. */
  constructor(files: TlsFiles, service: () => Service | null, log: Logger) {
    this.#service = service
    this.#log = log
    this.#stop = this.#follow(files)
  }

  /** Has new connections use these files. @throws TlsError, and those from before stay */
  use(files: TlsFiles): void {
    const metadata = this.#service()?.reloadTls(files)
    if (metadata === undefined) return
    const validTo = new Date(metadata.validTo).toISOString()
    this.#log.info({ subject: metadata.subject, validTo }, 'the certificate was read again')
    this.#stop()
    this.#stop = this.#follow(files)
  }

  close(): void {
    this.#stop()
  }

  #follow(files: TlsFiles): () => void {
    return watchTlsFiles(files, () => {
      try {
        this.use(files)
      } catch (error) {
        if (!(error instanceof TlsError)) throw error
        this.#log.error({ error: error.message }, 'the certificate from before stays in use')
      }
    })
  }
}
