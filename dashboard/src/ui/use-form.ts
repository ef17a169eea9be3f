import { type UseFormInput, type UseFormReturnType, useForm as useMantineForm } from '@mantine/form'
import { useRef } from 'react'
import type { ApiError } from '../api/call.ts'

type Field<Values> = UseFormReturnType<Values>['getInputProps']

/** `field` and `checkbox` return the props for the inputs, which show the errors of their fields. */
export type FormState<Values> = UseFormReturnType<Values> & {
  field: Field<Values>
  checkbox(path: Parameters<Field<Values>>[0]): ReturnType<Field<Values>>
  /** Returns whether the screen has an input for this field, or for the list that contains it. */
  hasInput(path: string): boolean
  /**
   * Shows the server's errors next to their inputs. Returns whether this shows all of them, so that
   * no toast is needed.
   */
  showErrors(error: Pick<ApiError, 'fields'>): boolean
}

// biome-ignore lint/suspicious/noExplicitAny: as in Mantine's types
export function useForm<Values extends Record<string, any>>(
  options: UseFormInput<Values>,
): FormState<Values> {
  const form = useMantineForm<Values>(options)
  // Each render records its inputs again, because an input can disappear: an invoice with line
  // items has no amount.
  const inputs = useRef(new Set<string>())
  inputs.current = new Set()
  const field: FormState<Values>['field'] = (path, how) => {
    inputs.current.add(String(path))
    return form.getInputProps(path, how)
  }
  const checkbox: FormState<Values>['checkbox'] = (path) => field(path, { type: 'checkbox' })
  /** A list in a single input, such as tags, also shows the errors of its items. */
  const inputOf = (path: string) => {
    const steps = path.split('.')
    return steps
      .map((_, i) => steps.slice(0, steps.length - i).join('.'))
      .find((one) => inputs.current.has(one))
  }
  const showErrors: FormState<Values>['showErrors'] = ({ fields }) => {
    const paths = Object.keys(fields)
    const shown = new Map<string, string>()
    for (const path of paths) {
      const at = inputOf(path)
      const [says = ''] = fields[path]!
      const item = at === path ? undefined : valueAt(form.getValues(), path)
      const text = typeof item === 'string' && item ? `${item} ${says}` : sentence(says)
      if (at !== undefined && !shown.has(at)) shown.set(at, text)
    }
    for (const [at, text] of shown) form.setFieldError(at, text)
    return paths.length > 0 && paths.every((path) => inputOf(path) !== undefined)
  }
  return {
    ...form,
    field,
    checkbox,
    hasInput: (path) => inputOf(path) !== undefined,
    showErrors,
  }
}

const valueAt = (values: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((of, step) => (of as Record<string, unknown>)?.[step], values)

/** "must not be empty" becomes "Must not be empty". */
const sentence = (text: string): string => text.replace(/^./, (first) => first.toUpperCase())
