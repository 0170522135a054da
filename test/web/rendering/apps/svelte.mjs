import { mount } from 'svelte';
import Story from './Story.svelte';

mount(Story, { target: document.getElementById('svelte') });
