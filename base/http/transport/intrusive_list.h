#pragma once

namespace pixledger::http {

template <class T>
class IntrusiveList;

// A place in a list, inside the item that is listed: leaves the list when it goes. In one list at a time.
template <class T>
class ListHook {
 public:
  explicit ListHook(T& item) : item_(&item) {}
  ~ListHook() { unlink(); }
  ListHook(const ListHook&) = delete;
  ListHook& operator=(const ListHook&) = delete;

  bool is_linked() const { return next_ != this; }
  void unlink() {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = this;
  }

 private:
  friend class IntrusiveList<T>;
  ListHook() = default;  // the ends of a list

  T* const item_ = nullptr;
  ListHook* previous_ = this;
  ListHook* next_ = this;
};

// A list of items that have a hook for it: entering and leaving cost no memory and a few writes. Owns
// nothing, and leaves its items where it goes before them.
template <class T>
class IntrusiveList {
 public:
  IntrusiveList() = default;
  ~IntrusiveList() {
    while (ends_.is_linked()) ends_.next_->unlink();
  }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  // Leaves the list it was in.
  void push_back(ListHook<T>& place) {
    place.unlink();
    place.previous_ = ends_.previous_;
    place.next_ = &ends_;
    ends_.previous_->next_ = &place;
    ends_.previous_ = &place;
  }

  // Null at the end.
  T* front() const { return ends_.next_->item_; }
  static T* after(const ListHook<T>& place) { return place.next_->item_; }

  // All of the other's, behind what is here.
  void take_all(IntrusiveList& other) {
    while (other.ends_.is_linked()) push_back(*other.ends_.next_);
  }

 private:
  ListHook<T> ends_;
};

}  // namespace pixledger::http
