import { type UseFormInput, type UseFormReturnType, useForm as useMantineForm } from '@mantine/form'

type Field<Values> = UseFormReturnType<Values>['getInputProps']

/** `field` and `checkbox` return the props for the inputs. */
export type FormState<Values> = UseFormReturnType<Values> & {
  field: Field<Values>
  checkbox(path: Parameters<Field<Values>>[0]): ReturnType<Field<Values>>
}

// biome-ignore lint/suspicious/noExplicitAny: as in Mantine's types
export function useForm<Values extends Record<string, any>>(
  options: UseFormInput<Values>,
): FormState<Values> {
  const form = useMantineForm<Values>(options)
  const checkbox: FormState<Values>['checkbox'] = (path) =>
    form.getInputProps(path, { type: 'checkbox' })
  return { ...form, field: form.getInputProps, checkbox }
}
