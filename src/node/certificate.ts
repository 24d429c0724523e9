import { TlsError, type TlsFiles } from '../front/tls.ts'
import { watchTlsFiles } from '../front/watchTls.ts'
import type { Logger } from '../observe/logger.ts'
import { type Opened, Part } from './opened.ts'
import type { Service } from './service.ts'

/** Service that gives connections their certificate. */
type Endpoint = Pick<Service, 'reloadTls'>

/** Keeps the certificate of the endpoint that of its files. */
export class Certificate {
  readonly #service: Part<Endpoint>
  readonly #log: Logger
  /** Part that ends the following of the files. */
  readonly #following = new Part<() => void>()
  #files: TlsFiles

  private constructor(files: TlsFiles, service: Part<Endpoint>, log: Logger) {
    this.#files = files
    this.#service = service
    this.#log = log
  }

  /**
   * Follows the files from now on.
   * @param service to be opened behind it: it reads the files, and what changes then is seen
   */
  static async open(
    parts: Opened,
    files: TlsFiles,
    service: Part<Endpoint>,
    log: Logger,
  ): Promise<Certificate> {
    const certificate = new Certificate(files, service, log)
    await parts.open({ open: () => certificate.#follow(), close: (stop) => stop() }, certificate.#following)
    return certificate
  }

  /** Has new connections use these files. @throws TlsError, and those from before stay */
  use(files: TlsFiles): void {
    const metadata = this.#service.now?.reloadTls(files)
    if (metadata === undefined) return
    const validTo = new Date(metadata.validTo).toISOString()
    this.#log.info({ subject: metadata.subject, validTo }, 'the certificate was read again')
    this.#files = files
    void this.#following.reopen()
  }

  #follow(): () => void {
    const files = this.#files
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
