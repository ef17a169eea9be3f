import { Group, Stack, Text } from '@mantine/core'
import type { UseFormInput } from '@mantine/form'
import { IconLink } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import type { Action } from '../../../api/hooks.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { useSubmit } from '../../../ui/forms.tsx'
import { type FormState, useForm } from '../../../ui/use-form.ts'

/** A part of the settings with its own URL, such as `settings/payments#fees`. */
export function SettingsPart({
  id,
  title,
  about,
  actions,
  children,
}: {
  id: string
  title: string
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section id={id} className="card settings-part" aria-labelledby={`${id}-title`}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <div className="settings-about">
          <h2 id={`${id}-title`}>
            {title}
            <a href={`#${id}`} className="settings-anchor" aria-label={`Link to ${title}`}>
              <IconLink size={15} aria-hidden />
            </a>
          </h2>
          {about && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </section>
  )
}

interface SettingFormProps<Values extends Record<string, unknown>, Answer> {
  id: string
  title: string
  about?: ReactNode
  values: Values
  action: Action<Values, Answer>
  /** Called after saving, for an action whose response decides what to say. */
  onSaved?(answer: Answer, form: FormState<Values>): void
  mayWrite: boolean
  /** Shown above the fields. Its buttons also work for users who can't change the settings. */
  above?: ReactNode
  validate?: UseFormInput<Values>['validate']
  /** Also explains why a user who can view the settings can't change them. */
  children(form: FormState<Values>): ReactNode
}

/** A setting, or a few that belong together, with a separate Save button. */
export function SettingForm<Values extends Record<string, unknown>, Answer = unknown>({
  id,
  title,
  about,
  values,
  action,
  onSaved,
  mayWrite,
  above,
  validate,
  children,
}: SettingFormProps<Values, Answer>) {
  const form = useForm<Values>({ initialValues: values, validate })
  useLatestValues(form, values)
  const { submit, says, isPending } = useSubmit<Values, Answer>(form, action, (answer) =>
    onSaved?.(answer, form),
  )
  return (
    <SettingsPart id={id} title={title} about={about}>
      <Stack gap="md">
        {above}
        <form onSubmit={submit} noValidate>
          <fieldset disabled={!mayWrite} className="bare">
            <Stack gap="md">
              {says}
              {children(form)}
              {mayWrite && <SaveRow form={form} isPending={isPending} what={title} />}
            </Stack>
          </fieldset>
        </form>
      </Stack>
    </SettingsPart>
  )
}

/** Adopts values that were saved in the meantime, except in fields that are being edited. */
export function useLatestValues<Values extends Record<string, unknown>>(
  form: FormState<Values>,
  values: Values,
): void {
  const stored = JSON.stringify(values)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the stored values change
  useEffect(() => {
    const now = JSON.parse(stored) as Values
    const typed = changedValues(form)
    form.setInitialValues(now)
    form.setValues({ ...now, ...typed })
  }, [stored])
}

const changedValues = <Values extends Record<string, unknown>>(
  form: FormState<Values>,
): Partial<Values> =>
  Object.fromEntries(
    Object.entries(form.values).filter(([field]) => form.isDirty(field)),
  ) as Partial<Values>

export function SaveRow<Values extends Record<string, unknown>>({
  form,
  isPending,
  what,
}: {
  form: FormState<Values>
  isPending: boolean
  what: string
}) {
  const isDirty = form.isDirty()
  return (
    <Group justify="flex-end" gap="xs" className="settings-save">
      {isDirty && (
        <ActionButton label="Cancel" variant="subtle" color="gray" onClick={() => form.reset()} />
      )}
      <ActionButton
        label="Save"
        variant={isDirty ? 'filled' : 'default'}
        type="submit"
        loading={isPending}
        disabled={!isDirty}
        aria-label={`Save: ${what}`}
      />
    </Group>
  )
}
