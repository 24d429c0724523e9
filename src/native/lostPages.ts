import { addon } from './addon.ts'

/**
 * Has the process end with a line on its standard error output and an exit code when a page of a mapped file is gone,
 * because the file was cut or the disk fails. The system would end it with SIGBUS and no word, and nothing else can be
 * done: whoever read the page cannot go on. For programs only, as it changes what the whole process does at that signal.
 */
export function reportLostPages(message: string, exitCode: number): void {
  addon.reportLostPages(message, exitCode)
}
