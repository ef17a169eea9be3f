import {
  ActionIcon,
  Group,
  Pill,
  Stack,
  TagsInput,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { Product } from '../../../../../sdk/src/operations.ts'
import { act, useAction } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { FormModal } from '../../../ui/forms.tsx'

type Option = Product['options'][number]

export function Options({ of: { productId, options } }: { of: Product }) {
  const writes = usePermission()('products:write')
  const [isAdding, adding] = useDisclosure(false)
  if (options.length === 0 && !writes) return null
  return (
    <Card
      title="Options"
      actions={
        writes &&
        options.length < 3 && (
          <ActionButton icon={IconPlus} label="Add an option" size="xs" onClick={adding.open} />
        )
      }
    >
      {options.length === 0 ? (
        <Text size="sm" c="dimmed">
          For example, size and colour. Each combination has its own price and stock.
        </Text>
      ) : (
        <Stack gap="md">
          {options.map((option) => (
            <OneOption key={option.optionId} of={option} productId={productId} writes={writes} />
          ))}
        </Stack>
      )}
      <FormModal<{ name: string; values: string[] }>
        title="Add an option"
        opened={isAdding}
        onClose={adding.close}
        initial={{ name: '', values: [] }}
        action={act('add_product_options', {
          input: (option: { name: string; values: string[] }) => ({ productId, options: [option] }),
          done: 'Option added.',
        })}
        validate={{
          name: (name: string) => (name.trim() ? null : 'Enter an option, such as Size.'),
          values: (values: string[]) => (values.length > 0 ? null : 'Add at least one value.'),
        }}
        verb="Add option"
      >
        {(form) => (
          <>
            <TextInput
              label="Name"
              placeholder="Size"
              data-autofocus
              required
              {...form.field('name')}
            />
            <TagsInput
              label="Values"
              description="Press Enter after each value."
              required
              {...form.field('values')}
            />
          </>
        )}
      </FormModal>
    </Card>
  )
}

function OneOption({
  of: { optionId, name, values },
  productId,
  writes,
}: {
  of: Option
  productId: string
  writes: boolean
}) {
  const [value, setValue] = useState('')
  const [isRenaming, renaming] = useDisclosure(false)
  const [renamed, rename] = useState<Option['values'][number]>()
  const add = useAction(
    act('add_product_option_variant', {
      input: (added: string) => ({ productId, optionId, value: added }),
      done: 'Value added.',
      // The input shows the first error, whatever its field.
      caught: ({ fields }) => Object.keys(fields).length > 0,
    }),
  )
  const removeValue = useAction(
    act('delete_product_option_variant', {
      input: (optionVariantId: number) => ({ productId, optionId, optionVariantId }),
      done: 'Value deleted.',
    }),
  )
  const remove = useAction(
    act('delete_product_options', {
      input: () => ({ productId, optionId }),
      done: 'Option deleted.',
    }),
  )
  const sure = (title: string, text: string, go: () => void) =>
    confirm({ title, text, verb: 'Delete', isDangerous: true, go })
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{name}</Text>
        {writes && (
          <Group gap={4}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Rename the option ${name}`}
              onClick={renaming.open}
            >
              <IconPencil size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Delete the option ${name}`}
              onClick={() =>
                sure(
                  `Delete the option ${name}?`,
                  'Variants that become identical are merged, and their stock is added up.',
                  () => remove.mutate(),
                )
              }
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        )}
      </Group>
      <Group gap="xs">
        {values.map(({ optionVariantId, value: one }) => (
          <Pill
            key={optionVariantId}
            size="md"
            withRemoveButton={writes && values.length > 1}
            removeButtonProps={{ 'aria-label': `Delete ${one}`, 'aria-hidden': false, tabIndex: 0 }}
            onRemove={() =>
              sure(
                `Delete ${one}?`,
                'Variants with this value will be deleted too, including their stock.',
                () => removeValue.mutate(optionVariantId),
              )
            }
          >
            {writes ? (
              <UnstyledButton
                fz="inherit"
                aria-label={`Rename ${one}`}
                onClick={() => rename({ optionVariantId, value: one })}
              >
                {one} <IconPencil size={12} aria-hidden />
              </UnstyledButton>
            ) : (
              one
            )}
          </Pill>
        ))}
      </Group>
      <FormModal<{ name: string }>
        title={`Rename ${name}`}
        opened={isRenaming}
        onClose={renaming.close}
        initial={{ name }}
        action={act('update_product_option', {
          input: (typed: { name: string }) => ({ productId, optionId, name: typed.name.trim() }),
          done: 'Option renamed.',
        })}
        validate={{ name: (text) => (text.trim() ? null : 'Enter an option, such as Size.') }}
        verb="Rename option"
      >
        {(form) => <TextInput label="Name" data-autofocus required {...form.field('name')} />}
      </FormModal>
      {renamed && (
        <FormModal<{ value: string }>
          title={`Rename ${renamed.value}`}
          opened
          onClose={() => rename(undefined)}
          initial={{ value: renamed.value }}
          action={act('update_product_option_variant', {
            input: (typed: { value: string }) => ({
              productId,
              optionId,
              optionVariantId: renamed.optionVariantId,
              value: typed.value.trim(),
            }),
            done: 'Value renamed.',
          })}
          validate={{ value: (text) => (text.trim() ? null : 'Enter a value.') }}
          verb="Rename value"
        >
          {(form) => <TextInput label="Value" data-autofocus required {...form.field('value')} />}
        </FormModal>
      )}
      {writes && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (value.trim()) add.mutate(value.trim(), { onSuccess: () => setValue('') })
          }}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              size="xs"
              aria-label={`New value for ${name}`}
              placeholder="New value"
              value={value}
              error={Object.values(add.error?.fields ?? {})[0]?.[0]}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
            <ActionButton label="Add value" size="xs" type="submit" loading={add.isPending} />
          </Group>
        </form>
      )}
    </Stack>
  )
}
