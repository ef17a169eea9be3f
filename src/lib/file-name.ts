const BYTES_MAX = 255

// Controls, and what turns the reading direction: `fdp.exe` would read `exe.pdf`.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** What is wrong with the name of a file, as the end of "filename …"; undefined for a good one. */
export function fileNameFault(name: string): string | undefined {
  if (name.trim() === '' || /^\.+$/.test(name)) return 'must be a name'
  if (Buffer.byteLength(name) > BYTES_MAX) return `must have at most ${BYTES_MAX} bytes as UTF-8`
  if (/[/\\]/.test(name)) return 'must be a name without directories: no slashes'
  if (CONTROL.test(name)) return 'must not contain NUL, line breaks or other control characters'
  if (DIRECTION.test(name)) return 'must not contain marks that turn the reading direction'
  if (!name.isWellFormed()) return 'must not contain unpaired surrogates'
  return undefined
}
