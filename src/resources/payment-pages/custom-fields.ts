import type { Fields } from '../../lib/problem.ts'
import { addFault } from './pages.ts'
import type { CustomField } from './queries.ts'

type Given = Omit<CustomField, 'options'> & { options?: string[] }

/** What the payer is asked. Adds the faults that a schema cannot find. */
export function readFields(
  given: readonly Given[] | undefined,
  faults: Fields,
): CustomField[] | undefined {
  if (!given) return undefined
  const names = new Set<string>()
  return given.map(({ label, name, type, required, options = [] }, i) => {
    const at = `customFields.${i}`
    if (names.has(name)) addFault(faults, `${at}.name`, 'is there twice')
    names.add(name)
    if (type === 'select') refuseOptions(options, `${at}.options`, faults)
    else if (options.length > 0) {
      addFault(faults, `${at}.options`, `does not go with type ${type}`)
    }
    return { label, name, type, required, options }
  })
}

function refuseOptions(options: readonly string[], field: string, faults: Fields): void {
  if (options.length === 0) addFault(faults, field, 'must have at least 1 entry')
  if (new Set(options).size < options.length) addFault(faults, field, 'must not have one twice')
}
