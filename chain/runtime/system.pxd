from chain.runtime.world_words cimport is_registered, is_writer, namespace_of
